import { Pool } from 'undici'
import type { HubProcess } from '../hub-process.ts'
import type { Question } from './questions.ts'

/** How often each is asked, and for how long at most (milliseconds). */
const TIMES = 20
const TIMEOUT_MS = 4_000

/** Slower than this is told by name: the goal (milliseconds). */
export const SLOW = 50

export interface Asked {
  name: string
  /** The first time, and of all times (milliseconds). */
  first: number
  p50: number
  p95: number
  /** Answers that were none. */
  wrong: number
}

/** Asks one question after the other, each several times: first all of them once, as cold as they are. */
export async function askAll(hub: HubProcess, questions: readonly Question[]): Promise<Asked[]> {
  const pool = new Pool(`http://127.0.0.1:${hub.port}`, { connections: 1 })
  const key = await hub.createKey('oms', ['orders', 'read:metrics', 'read:completeness'])
  const tokens = { pos: hub.secrets.POS_TOKEN, system: key, operator: hub.secrets.ADMIN_TOKEN }
  try {
    const took = new Map(questions.map(({ name }) => [name, [] as number[]]))
    const wrong = new Map<string, number>()
    for (const question of questions) await ask(question)
    for (const question of questions) {
      const all = took.get(question.name) ?? []
      const until = performance.now() + TIMEOUT_MS
      while (all.length < TIMES && performance.now() < until) await ask(question)
    }
    return questions.map(({ name }) => {
      const all = took.get(name) ?? []
      const sorted = [...all].sort((a, b) => a - b)
      const quantile = (part: number) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
      return { name, first: all[0] ?? Number.NaN, p50: quantile(0.5), p95: quantile(0.95), wrong: wrong.get(name) ?? 0 }
    })

    async function ask({ name, path, as, post }: Question): Promise<void> {
      const asked = performance.now()
      const { statusCode, body } = await pool.request({
        path,
        method: post ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${tokens[as ?? 'operator']}`, 'content-type': 'application/json' },
        ...(post && { body: JSON.stringify(post) }),
      })
      await body.dump()
      took.get(name)?.push(performance.now() - asked)
      if (statusCode >= 300) wrong.set(name, (wrong.get(name) ?? 0) + 1)
    }
  } finally {
    await pool.close()
  }
}

/** All that are slow, and the slowest in any case. */
export function slowestOf(asked: readonly Asked[]): Asked[] {
  const sorted = [...asked].sort((a, b) => b.p95 - a.p95)
  return sorted.filter(({ p95 }, index) => index < 3 || p95 > SLOW)
}

/** A line for people. */
export function reported({ name, first, p50, p95 }: Asked): string {
  return `${p95 > SLOW ? 'slow: ' : ''}${name}: p95 ${p95.toFixed(0)} ms, median ${p50.toFixed(0)} ms, the first time ${first.toFixed(0)} ms`
}
