import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'

interface Beside {
  port: number
  perSecond: number
  signal: AbortSignal
}

interface Asked {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: Buffer
  /** What a right answer is. */
  wanted: { status: number; text: string }
}

/** How long an answer may take, and a request before the end has for it (milliseconds). */
const TIMEOUT_MS = 10_000

/** Asks at an even pace beside an attack, each once; how many were not answered as they should have been, and how. */
export async function askOn({ port, perSecond, signal }: Beside, ask: (nth: number) => Asked) {
  await using dispatcher = agent()
  const others: Record<string, number> = {}
  const latencies: number[] = []
  const asking: Promise<void>[] = []
  for (let nth = 0; !signal.aborted; nth++) {
    asking.push(askOne(ask(nth)))
    await pause(1_000 / perSecond, null, { signal }).catch(() => {})
  }
  await Promise.all(asking)
  const wrong = Object.values(others).reduce((sum, count) => sum + count, 0)
  return { asked: asking.length, wrong, others, slowestMs: Math.max(0, ...latencies) }

  async function askOne({ path, wanted, ...how }: Asked): Promise<void> {
    const begun = performance.now()
    const said = await request(`http://127.0.0.1:${port}${path}`, { ...how, dispatcher }).then(
      async ({ statusCode, body }) => ({ status: statusCode, text: await body.text() }),
      ({ code }: { code?: string }) => ({ status: code ?? 'failed', text: '' }),
    )
    latencies.push(performance.now() - begun)
    if (said.status === wanted.status && said.text.includes(wanted.text)) return
    others[said.status] = (others[said.status] ?? 0) + 1
  }
}

function agent() {
  const dispatcher = new Agent({
    connections: 8,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connectTimeout: TIMEOUT_MS,
  })
  return Object.assign(dispatcher, { [Symbol.asyncDispose]: () => dispatcher.destroy() })
}
