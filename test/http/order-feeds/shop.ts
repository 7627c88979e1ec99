import { createHmac, timingSafeEqual } from 'node:crypto'
import { fetch } from 'undici'
import { z } from 'zod'
import { defineAdapter } from '../../../src/adapters/adapter.ts'
import type { IntakeItem } from '../../../src/ports/ports.ts'

const Options = z.strictObject({
  secret: z.string().default('a secret of the shop'),
  /** Where its new things are listed; it is asked for them. */
  url: z.url().optional(),
  silent: z.boolean().default(false),
})

/** A shop of the tests: it says what it is told to say, signed. */
export default defineAdapter({
  name: 'intake-shop',
  options: Options,
  create: ({ secret, url, silent }) => ({
    ports: {},
    intake: {
      ...(!silent && {
        verify: ({ headers, body }) => isSame(headers['x-signature'] ?? '', signatureOf(body, secret)),
        read({ body }) {
          const said = JSON.parse(Buffer.from(body).toString('utf8')) as { items: IntakeItem[] }
          if (!said.items) throw new Error('it lists no items')
          return said.items
        },
      }),
      ...(url !== undefined && {
        async poll(cursor, { signal }) {
          const answer = await fetch(`${url}?after=${cursor ?? ''}`, { signal })
          if (!answer.ok) throw new Error(`the shop answered ${answer.status}`)
          return (await answer.json()) as { items: IntakeItem[]; cursor: string; more: boolean }
        },
      }),
    },
    async [Symbol.asyncDispose]() {},
  }),
})

export function signatureOf(body: Uint8Array, secret = 'a secret of the shop'): string {
  return createHmac('sha256', secret).update(body).digest('base64')
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
