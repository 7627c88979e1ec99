import { Command } from 'commander'
import { OWN_VERSION } from '../lib/own-version.ts'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { check, schema } from './check.ts'
import { deliveries } from './deliveries.ts'
import { doctor } from './doctor.ts'
import { tellEnd } from './ended.ts'
import { events } from './events.ts'
import { EXIT, EXIT_WORDS } from './exit-codes.ts'
import { exportCommand } from './export.ts'
import { files } from './files.ts'
import { find } from './find.ts'
import { health } from './health.ts'
import { init } from './init.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import { kinds } from './kinds.ts'
import { late, order } from './order.ts'
import { pause, resume } from './pause.ts'
import { probe } from './probe.ts'
import { products } from './products.ts'
import { push } from './push.ts'
import { reload } from './reload.ts'
import { reroute } from './reroute.ts'
import { sendAgain } from './send-again.ts'
import { settlements } from './settlements.ts'
import { status } from './status.ts'
import { stock } from './stock.ts'
import { store } from './store-copy.ts'
import { subscriptions } from './subscriptions.ts'

const start = new Command('start').description('Start the hub, as "npm start" does').action(async () => {
  await import('../main.ts')
})

export const program = new Command('tillbridge')
  .version(OWN_VERSION, '-V, --version', 'print the version')
  .description("The integrator's side of a retail point-of-sale platform.")
  .addHelpText(
    'after',
    `
The config is TILLBRIDGE_CONFIG (config/tillbridge.yaml). Commands that ask a hub ask the one of the config,
or TILLBRIDGE_URL with TILLBRIDGE_ADMIN_TOKEN. Each prints JSON with --json, errors too.

Exit codes:
${Object.entries(EXIT)
  .map(([name, code]) => `  ${String(code).padStart(3)}  ${EXIT_WORDS[name as keyof typeof EXIT]}`)
  .join('\n')}`,
  )
for (const command of [
  init,
  start,
  health,
  check,
  schema,
  reload,
  doctor,
  status,
  events,
  deliveries,
  order,
  audit,
  find,
  sendAgain,
  files,
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
  probe,
  backup,
  stock,
  settlements,
  subscriptions,
  store,
])
  program.addCommand(command)

/**
 * Commands that others are in end as the whole does: with an error, not with the process; and say where to read on. What is
 * printed for programs has nothing else beside it.
 */
function prepare(command: Command, path: string, json: boolean): void {
  command
    .exitOverride()
    .configureOutput({ writeErr: (text) => void (json || process.stderr.write(text)) })
    .showHelpAfterError(`"${path} --help" tells what it takes.`)
  for (const one of command.commands) prepare(one, `${path} ${one.name()}`, json)
}

/** Runs a command line, without the program's name. Whatever goes wrong is said, and leaves an exit code. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const json = args.includes('--json')
  prepare(program, program.name(), json)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = tellEnd(error, json)
  }
}
