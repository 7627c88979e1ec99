import { runProgram } from './program.ts'
import { EXIT } from './shared/exit.ts'
import { printError } from './shared/output.ts'

// Files are private by default.
process.umask(0o077)

// `tillbridge events list | head` closes the pipe: no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.brokenPipe)
  printError(
    `What it prints cannot be written (${error.message}): make room, or print it elsewhere. What it did is done: tillbridge audit list.`,
  )
  process.exit(EXIT.unwritten)
})
// The exit code still says how it ended.
process.stderr.on('error', () => {})

await runProgram(process.argv.slice(2))
