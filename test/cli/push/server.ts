import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '../../listen.ts'

/** The key that it knows. */
export const KEY = 'tb_0123456789abcdef_the-key-of-the-own-system-in-these-tests-0'

interface Arrived {
  path: string
  query: Record<string, string>
  idempotencyKey: string | undefined
  lines: string[]
}

/** What happens with the nth request to submit, from 0. */
type Script = (nth: number) => 'take' | 'busy' | { cutAfter: number } | { problem: number; detail: string } | 'html'

/** A hub as far as /v1 goes: it takes every line but those with `"bad"`, and delivers all but those with `"dead"`. */
export interface V1Server extends AsyncDisposable {
  readonly url: string
  readonly arrived: Arrived[]
  /** Every line that was taken, by its transport key: none twice. */
  readonly taken: Map<string, string>
  /** How often it was asked what became of a submission. */
  readonly looks: () => number
  play(script: Script): void
  hold(): void
  letGo(): void
}

export async function startV1Server(): Promise<V1Server> {
  const arrived: Arrived[] = []
  const taken = new Map<string, string>()
  const submissions: string[] = []
  let script: Script = () => 'take'
  let held = false
  let looks = 0

  async function submit(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const idempotencyKey = request.headers['idempotency-key'] as string | undefined
    const query = Object.fromEntries(url.searchParams)
    const one: Arrived = { path: url.pathname, query, idempotencyKey, lines: [] }
    const todo = script(arrived.push(one) - 1)
    if (todo === 'busy') return answer(response, 503, { title: 'Busy', detail: 'The store cannot write now.' })
    if (todo === 'html') return void response.writeHead(200).end('<html>a router</html>')
    if (typeof todo === 'object' && 'problem' in todo) return answer(response, todo.problem, { detail: todo.detail })
    const dryRun = query.dryRun === 'true'
    const key = `${url.pathname}/${idempotencyKey}`
    const said = { lines: 0, accepted: 0, duplicates: 0, refused: 0, faults: [] as object[] }
    for await (const line of linesOf(request)) {
      if (typeof todo === 'object' && said.lines === todo.cutAfter) return void request.socket.destroy()
      one.lines.push(line)
      said.lines += 1
      if (line.includes('"bad"')) {
        said.refused += 1
        said.faults.push({ line: said.lines, faults: ['color: found "bad", expected a color'] })
      } else if (taken.has(`${key}/${said.lines}`)) said.duplicates += 1
      else {
        said.accepted += 1
        if (!dryRun) taken.set(`${key}/${said.lines}`, line)
      }
    }
    if (dryRun) {
      const warnings = [{ line: 1, sort: 'price-jump', text: 'price: 1399.50, was 139.95' }]
      return answer(response, 200, { dryRun, ...said, warnings, warningCounts: { 'price-jump': 2 } })
    }
    if (!submissions.includes(key)) submissions.push(key)
    const id = submissions.indexOf(key) + 1
    const duplicate = said.duplicates > 0 && said.accepted === 0
    return answer(response, duplicate ? 200 : 202, { ...(duplicate && { status: 'duplicate' }), id, ...said })
  }

  function look(response: ServerResponse, id: number, after: number): void {
    looks += 1
    const key = submissions[id - 1]
    const own = [...taken].filter(([name]) => name.startsWith(`${key}/`))
    const dead = own
      .filter(([, line]) => line.includes('"dead"'))
      .map(([name]) => Number(name.split('/').at(-1)))
      .map((line) => ({ line, entity: 'product:A', state: 'dead', code: 'http-400', why: 'The platform refused it.' }))
    const states = held ? { waiting: own.length } : { delivered: own.length - dead.length, dead: dead.length }
    const failed = held ? [] : dead.filter(({ line }) => line > after).slice(0, 2)
    answer(response, 200, { id, destinations: { platform: states }, done: !held, failed })
  }

  const server = await listen(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://hub')
    const [, submission] = /^\/v1\/submissions\/(\d+)$/.exec(url.pathname) ?? []
    if (request.headers.authorization !== `Bearer ${KEY}`) return answer(response, 401, { title: 'Unauthorized' })
    if (submission) return look(response, Number(submission), Number(url.searchParams.get('after') ?? 0))
    return await submit(request, response, url).catch(() => void response.destroy())
  })

  return {
    ...server,
    arrived,
    taken,
    looks: () => looks,
    play(given) {
      script = given
    },
    hold() {
      held = true
    },
    letGo() {
      held = false
    },
  }
}

async function* linesOf(request: IncomingMessage): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of request.setEncoding('utf8')) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': status < 300 ? 'application/json' : 'application/problem+json' })
  response.end(JSON.stringify(body))
}
