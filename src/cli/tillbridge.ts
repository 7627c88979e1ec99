import { runProgram } from './program.ts'
import { EXIT } from './shared/exit.ts'
import { complain } from './shared/output.ts'

// Nothing that a command makes is for others on this machine, unless its maker says so.
process.umask(0o077)

// Whoever reads may have had enough, as in `tillbridge events list | head`: that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.brokenPipe)
  complain(
    `What it prints cannot be written (${error.message}): make room, or print it elsewhere. What it did is done: tillbridge audit list.`,
  )
  process.exit(EXIT.unwritten)
})
// Who cannot be told on standard error either is told by the exit code.
process.stderr.on('error', () => {})

await runProgram(process.argv.slice(2))
