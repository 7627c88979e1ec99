import { runProgram } from './program.ts'

// Nothing that a command makes is for others on this machine, unless its maker says so.
process.umask(0o077)

await runProgram(process.argv.slice(2))
