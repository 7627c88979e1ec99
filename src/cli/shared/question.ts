import { Command } from 'commander'
import { type Client, createClient, pathPart } from './client.ts'
import type { ExitCode } from './exit.ts'
import { show } from './output.ts'

export type Text = string | readonly (string | false | null)[]

interface Question<Answer> {
  about: string
  /** Adds arguments and options. */
  with?: (command: Command) => Command
  /** Default: the options as typed. */
  // biome-ignore lint/suspicious/noExplicitAny: as commander has options.
  asked?: (options: Record<string, any>, ...given: any[]) => Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as commander has options.
  text: (answer: Answer, asked: Record<string, any>, client: Client) => Text | Promise<Text>
  exit?: (answer: Answer) => ExitCode | undefined
}

/** A command that is one request: arguments fill `:names` of the path, options are the query or the body. */
export function asks<Answer>(
  name: string,
  ask: `${'GET' | 'POST'} /admin/${string}`,
  { about, with: extend = (plain) => plain, asked, text, exit }: Question<Answer>,
): Command {
  const command = extend(new Command(name).description(about))
  return command.option('--json', 'print JSON').action(async () => {
    const { json, ...options } = command.opts()
    const given = asked?.(options, ...command.processedArgs) ?? options
    const [method, path = ''] = ask.split(' ')
    const parts = [...command.processedArgs]
    const filled = path.replace(/:\w+/g, () => pathPart(String(parts.shift())))
    const client = await createClient(process.env)
    const answer = await (method === 'GET' ? client.get<Answer>(filled, given) : client.post<Answer>(filled, given))
    const code = exit?.(answer)
    const said = json ? '' : await text(answer, given, client)
    show(json, answer, () => joined(said))
    if (code !== undefined) process.exitCode = code
  })
}

export function group(name: string, about: string, ...commands: Command[]): Command {
  const whole = new Command(name).description(about)
  for (const command of commands) whole.addCommand(command)
  return whole
}

export function joined(text: Text, between = '\n'): string {
  return typeof text === 'string' ? text : text.filter((one) => one !== false && one !== null).join(between)
}
