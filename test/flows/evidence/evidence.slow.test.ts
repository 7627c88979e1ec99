import { expect, test } from 'vitest'
import { flows } from '../../../src/flows/index.ts'
import { KINDS } from '../../../src/platform/payloads/kinds.ts'
import { runOf } from './evidence-kit.ts'
import { CLASSES } from './evidence-mutations.ts'
import { PAYLOADS } from './evidence-payloads.ts'
import { provesEvidence } from './evidence-property.ts'

/* More of the same, with other seeds: evidence.soak.ts. */

const SEED = 20_261_122
const OF_EACH = 24

test('When payloads are whole, then every flow about the platform’s events lets something leave', async () => {
  const left = new Set<string>()
  for (const [kind, payloads] of Object.entries(PAYLOADS))
    for (const payload of payloads) {
      const ended = await runOf(kind, payload, payload)
      expect(ended.kept, kind).toEqual([])
      for (const { flow } of ended.left) left.add(flow)
    }
  const kinds = KINDS.map(({ name }) => name)
  expect(Object.keys(PAYLOADS)).toEqual(kinds)
  const about = flows.filter((flow) => flow.kinds !== 'all' && flow.kinds.some((kind) => kinds.includes(kind)))
  // These tell a person, and nobody else.
  const calling = about.filter(({ name }) => !['order-unread', 'goods-unpacked'].includes(name))
  expect([...left].sort()).toEqual(calling.map(({ name }) => name).sort())
})

test('When anything of a payload is renamed, missing, null, of another type or an unknown word, then nothing untrue or half leaves; what is more changes nothing', async () => {
  const { cases, tried, stopped, held } = await provesEvidence(SEED, OF_EACH)
  expect(cases).toBe(KINDS.length * CLASSES.length * OF_EACH)
  for (const { name } of KINDS) for (const what of CLASSES) expect(tried[`${name}/${what}`], name).toBe(OF_EACH)
  for (const what of CLASSES) if (what !== 'extra') expect(stopped[what], what).toBeGreaterThan(KINDS.length)
  expect(stopped.extra).toBeUndefined()
  // What is distinguished by an identity is quarantined without it, and an order that cannot be read owes nothing.
  const others = [
    'CustomerCreated',
    'CustomerUpdated',
    'OmniChannelOrderFulfilled',
    'OmniChannelOrderRefundUpdated',
    'OmniChannelOrderUpdated',
  ]
  expect(Object.keys(held)).toEqual(KINDS.map(({ name }) => name).filter((name) => !others.includes(name)))
})
