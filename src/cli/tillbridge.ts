import { runProgram } from './program.ts'
import { EXIT } from './shared/exit-codes.ts'

// Nothing that a command makes is for others on this machine, unless its maker says so.
process.umask(0o077)

// Whoever reads may have had enough, as in `tillbridge events list | head`: that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.brokenPipe)
  throw error
})

await runProgram(process.argv.slice(2))
