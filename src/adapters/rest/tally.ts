import type { Tallied } from '../../domain/ledger/destination/tallied.ts'
import { HeldError, PermanentError } from '../../domain/values/errors.ts'
import type { Question } from '../../ports/attempt.ts'
import type { GivenOrder, TallyOrders } from '../../ports/tally.ts'
import type { Api } from './asking/api.ts'
import { findEffect, isLookedFor, type Method } from './effects.ts'
import { orderSubject } from './mapping/inputs.ts'

/** Orders, each by the `find` that config has for its making: there is one, or there is none. Without a `find` nobody can be asked. */
export function tallyOf(api: Api, method: Method | undefined): Partial<TallyOrders> {
  if (!method || !isLookedFor(method)) return {}
  const create = method

  async function one({ keys, order, givenAt, links }: GivenOrder, { signal }: Question): Promise<Tallied> {
    const ours = async (kind: string, ids: string[]) =>
      links.filter((link) => link.kind === kind && ids.includes(link.id))
    const call = orderSubject({ port: 'orders', method: 'create', argument: order })
    try {
      for (const key of keys) {
        const attempt = { key, previous: 'open', firstTriedAt: givenAt, signal, links: ours } as const
        if (await findEffect(api, create, call, attempt)) return { is: 'there', count: 1, amount: null }
      }
      return { is: 'lacking' }
    } catch (error) {
      // What cannot be told of one order is told of the others. Whatever may pass is no answer.
      if (isAboutOne(error)) return { is: 'unknown', why: error.message }
      throw error
    }
  }

  return {
    async tally(given, question) {
      const answers: Tallied[] = []
      for (const each of given) answers.push(await one(each, question))
      return answers
    },
  }
}

function isAboutOne(error: unknown): error is Error {
  // Keys that are refused are refused for everything.
  if (error instanceof PermanentError) return !['http-401', 'http-403'].includes(error.code)
  return error instanceof HeldError
}
