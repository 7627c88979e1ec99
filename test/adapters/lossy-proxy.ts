import { type ProxiedRequest, type ProxyFault, startFaultProxy } from '../../src/adapter-kit/fault-proxy.ts'

/** Stands before an HTTP system and can lose its answers, cut requests off, or refuse them, each by a text in address or body. */
export interface LossyProxy extends AsyncDisposable {
  url: string
  /** Loses the answer to the next request that has this text in it. */
  lose(text: string): void
  /** Breaks the next request that has this text in it, before the system sees it. */
  cut(text: string): void
  /** Refuses, with 422, every request that has this text in it, as wrong by itself, until it is null. */
  refuse(text: string | null): void
  readonly lost: number
  readonly asked: string[]
}

/** Who answers so has read the request, and takes others. */
const REFUSED: ProxyFault = {
  type: 'answer',
  status: 422,
  headers: { 'content-type': 'application/json' },
  body: '{"title":"This is refused.","errors":{"text":["is not wanted"]}}',
}

export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const wanted: { lose: string | null; cut: string | null; refuse: string | null } = {
    ...{ lose: null, cut: null, refuse: null },
  }
  const asked: string[] = []
  let lost = 0
  const proxy = await startFaultProxy(target, (one) => {
    asked.push(one.url)
    const has = (text: string | null) => text !== null && textOf(one).includes(text)
    if (has(wanted.cut)) {
      wanted.cut = null
      return { type: 'cut' }
    }
    if (has(wanted.refuse)) return REFUSED
    if (!has(wanted.lose)) return null
    wanted.lose = null
    lost += 1
    return { type: 'lose' }
  })
  return {
    url: proxy.url,
    lose(text) {
      wanted.lose = text
    },
    cut(text) {
      wanted.cut = text
    },
    refuse(text) {
      wanted.refuse = text
    },
    get lost() {
      return lost
    },
    asked,
    [Symbol.asyncDispose]: proxy[Symbol.asyncDispose],
  }
}

function textOf({ url, body }: ProxiedRequest): string {
  return `${url} ${body}`
}
