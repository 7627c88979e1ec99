import { Argument, Command } from 'commander'

const SHELLS = { bash, zsh, fish }

export const completions = new Command('completions')
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
