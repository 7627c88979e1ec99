import { Command, CommanderError } from 'commander'
import { UserError } from '../domain/errors.ts'
import { backup } from './backup.ts'
import { check, schema } from './check.ts'
import { deliveries } from './deliveries.ts'
import { doctor } from './doctor.ts'
import { events } from './events.ts'
import { exportCommand } from './export.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import { kinds } from './kinds.ts'
import { late, order } from './order.ts'
import { pause, resume } from './pause.ts'
import { complain } from './print.ts'
import { products } from './products.ts'
import { push } from './push.ts'
import { reroute } from './reroute.ts'
import { status } from './status.ts'
import { stock } from './stock.ts'
import { store } from './store-copy.ts'

const start = new Command('start').description('Start the hub, as "npm start" does').action(async () => {
  await import('../main.ts')
})

const program = new Command('tillbridge')
  .description("The integrator's side of a retail point-of-sale platform.")
  .addHelpText(
    'after',
    '\nThe config is TILLBRIDGE_CONFIG (config/tillbridge.yaml). Commands that ask a hub ask the one of the config,\nor TILLBRIDGE_URL with TILLBRIDGE_ADMIN_TOKEN.',
  )
for (const command of [
  start,
  check,
  schema,
  doctor,
  status,
  events,
  deliveries,
  order,
  late,
  reroute,
  jobs,
  kinds,
  keys,
  products,
  push,
  exportCommand,
  pause,
  resume,
  backup,
  stock,
  store,
])
  program.addCommand(command)

/** Commands that others are in end as the whole does: with an error, not with the process. */
function endByError(command: Command): void {
  command.exitOverride()
  for (const one of command.commands) endByError(one)
}
endByError(program)

/** Runs a command line, without the program's name. What a person did wrong is said, and leaves an exit code. */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode
    else if (error instanceof UserError) {
      complain(error.message)
      process.exitCode = 2
    } else throw error
  }
}
