import type { Command } from 'commander'
import { type Client, createClient } from './client.ts'
import type { ExitCode } from './exit-codes.ts'
import { pathPart } from './path-part.ts'
import { show } from './print.ts'

/** One request of a hub's /admin, and how its answer is shown. */
interface Question<Answer> {
  /** `GET /admin/gaps/:id`: the arguments of the command take the places of the names, its options are the query or the body. */
  ask: `${'GET' | 'POST'} /admin/${string}`
  /** The query or the body, where the options are not it as they were typed. */
  // biome-ignore lint/suspicious/noExplicitAny: as commander has options.
  asked?: (options: Record<string, any>, ...given: any[]) => Record<string, unknown>
  /** The answer for people; --json prints it as it came. */
  // biome-ignore lint/suspicious/noExplicitAny: as commander has options.
  text: (answer: Answer, asked: Record<string, any>, client: Client) => string | Promise<string>
  /** How the command ends, where that is not well; may throw instead of showing the answer. */
  exit?: (answer: Answer) => ExitCode | undefined
}

/** Gives a command its action: it asks the hub one question and shows the answer, as text or by --json. */
export function asks<Answer>(command: Command, { ask, asked, text, exit }: Question<Answer>): Command {
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
    show(json, answer, () => said)
    if (code !== undefined) process.exitCode = code
  })
}
