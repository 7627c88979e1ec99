import { Argument, Command, type Option } from 'commander'
import { demo } from '../../sandbox/demo/demo.ts'
import { sandbox } from '../../sandbox/main.ts'
import { UserError } from '../domain/values/errors.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import { adapter } from './adapter.ts'
import { deliveries, files, sendAgain } from './deliveries.ts'
import { events, replay, reroute } from './events.ts'
import { jobs } from './jobs.ts'
import { kinds, subscriptions } from './platform.ts'
import { push } from './push.ts'
import { audit, complete, find, gaps, late, order, products, settlements, stock } from './questions.ts'
import { EXIT, EXIT_WORDS, reportEnd } from './shared/exit.ts'
import { ownLines, printError } from './shared/output.ts'
import {
  alarms,
  check,
  doctor,
  health,
  init,
  keys,
  pause,
  probe,
  reload,
  resume,
  schema,
  status,
  users,
} from './status.ts'
import { archive, backup, people, retention, store } from './storage.ts'

const start = new Command('start').description('Start the hub').action(async () => {
  await import('../main.ts')
})

const SHELLS = { bash, zsh, fish }

const completions = new Command('completions')
  .description('Print what makes a shell complete commands and options')
  .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
  .addHelpText(
    'after',
    `
bash   tillbridge completions bash > ~/.local/share/bash-completion/completions/tillbridge
zsh    tillbridge completions zsh >> ~/.zshrc
fish   tillbridge completions fish > ~/.config/fish/completions/tillbridge.fish`,
  )
  .action((shell: keyof typeof SHELLS, _options: unknown, { parent }: Command) => {
    if (parent) process.stdout.write(SHELLS[shell](nodesOf(parent)))
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
const COMMANDS = [
  [init, start, health, check, schema, reload, doctor, status, alarms],
  [events, deliveries, order, audit, complete, gaps, find, people, sendAgain, files, late, reroute, replay],
  [jobs, kinds, keys, products, push, pause, resume, probe, backup, stock, settlements, subscriptions],
  [retention, archive, store, users, adapter, sandbox, demo, completions],
]
for (const command of COMMANDS.flat()) program.addCommand(command)

// An empty variable of a script would ask for something else.
program.hook('preAction', (_program, command) => {
  const name = emptyArgument(command) ?? command.options.find((option) => isEmpty(option, command))?.long
  if (name !== undefined) throw new UserError(`${name}: it is empty.`)
})

function emptyArgument({ args, registeredArguments }: Command): string | undefined {
  const empty = args.findIndex((one) => one.trim() === '')
  if (empty === -1) return undefined
  return registeredArguments[Math.min(empty, registeredArguments.length - 1)]?.name() ?? 'argument'
}

function isEmpty(option: Option, command: Command): boolean {
  const value: unknown = command.getOptionValue(option.attributeName())
  return typeof value === 'string' && value.trim() === ''
}

/** Subcommands throw instead of exiting. With --json nothing else is printed. */
function prepare(command: Command, path: string, json: boolean): void {
  command
    .exitOverride()
    .configureOutput({ writeErr: (text) => void (json || process.stderr.write(ownLines(text))) })
    .showHelpAfterError(`"${path} --help" shows what it takes.`)
  for (const one of command.commands) prepare(one, `${path} ${one.name()}`, json)
}

/** The process: `bin/tillbridge.mjs` calls it. */
export async function main(): Promise<void> {
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
}

/** `args` without the program's name. Errors become an exit code. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const json = args.includes('--json')
  prepare(program, program.name(), json)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = reportEnd(error, json)
  }
}

/** A command: the words that call it, each after a space, and what may follow. */
interface Node {
  path: string
  words: { word: string; about: string }[]
}

function nodesOf(command: Command, path = ''): Node[] {
  const inner = command.commands.filter((one) => one.name() !== 'help')
  const words = [
    ...inner.map((one) => ({ word: one.name(), about: one.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((word) => ({ word, about: description })),
    ),
    ...[...command.options, { long: '--help', description: 'say what it takes' }].flatMap(({ long, description }) =>
      long ? [{ word: long, about: description }] : [],
    ),
  ]
  return [{ path, words }, ...inner.flatMap((one) => nodesOf(one, `${path} ${one.name()}`))]
}

function bash(nodes: Node[]): string {
  return `_tillbridge() {
  local path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${pathsOf(nodes).join(' | ')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${nodes.map(({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tillbridge tillbridge
`
}

/** zsh reads what bash completes by. */
function zsh(nodes: Node[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(nodes)}`
}

function fish(nodes: Node[]): string {
  const lines = nodes.flatMap(({ path, words }) =>
    words.map(({ word, about }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c tillbridge -f -n 'test "$(__tillbridge_path)" = "${path}"' ${what} -d '${about.replaceAll(/[\\']/g, '\\$&')}'`
    }),
  )
  return `function __tillbridge_path
  set -l path ''
  for word in (commandline -opc)[2..]
    switch "$path $word"
      case ${pathsOf(nodes).join(' ')}
        set path "$path $word"
    end
  end
  echo -n "$path"
end
${lines.join('\n')}
`
}

function pathsOf(nodes: Node[]): string[] {
  return nodes.flatMap(({ path }) => (path === '' ? [] : `'${path}'`))
}
