import { expect } from 'vitest'
import { KINDS } from '../../../src/platform/payloads/kinds.ts'
import { type Essence, essenceOf, faultsOf } from './evidence-essence.ts'
import { digestOfLeft, type Ended, type Left, runOf } from './evidence-kit.ts'
import { type Choices, CLASSES, type Class, createChoices, mutated } from './evidence-mutations.ts'
import { PAYLOADS } from './evidence-payloads.ts'

type Counts = Record<string, number>

export interface Reconcile {
  cases: number
  tried: Counts
  /** By class: something that left before did not leave any more. */
  stopped: Counts
  held: Counts
}

interface Given {
  kind: string
  payload: object
  truth: Ended
}

/**
 * Whatever is wrong with a payload, nothing leaves that is not the truth or lacks what its receiver cannot do without; what is
 * only more changes nothing. `cases`: payloads of each kind and class.
 */
export async function provesEvidence(seed: number, cases: number): Promise<Reconcile> {
  const choices = createChoices(seed)
  const reconcile: Reconcile = { cases: 0, tried: {}, stopped: {}, held: {} }
  for (const { name: kind } of KINDS) {
    const given: Given[] = []
    for (const payload of PAYLOADS[kind] ?? [])
      given.push({ kind, payload, truth: await runOf(kind, payload, payload) })
    for (const what of CLASSES)
      for (let index = 0; index < cases; index++) await prove(choices.of(given), what, choices, reconcile, seed)
  }
  return reconcile
}

async function prove(
  { kind, payload, truth }: Given,
  what: Class,
  choices: Choices,
  reconcile: Reconcile,
  seed: number,
) {
  const paths: string[] = []
  let wrong = payload
  for (let times = 1 + choices.below(3); times > 0; times--) {
    const next = mutated(wrong, what, choices)
    wrong = next.payload
    paths.push(next.path)
  }
  const ended = await runOf(kind, wrong, payload)
  reconcile.cases += 1
  count(reconcile.tried, `${kind}/${what}`)
  if (ended.left.length < truth.left.length) count(reconcile.stopped, what)
  if (ended.kept.some(({ code }) => code === 'unreadable-field')) count(reconcile.held, kind)
  const where = `${kind}, ${what}: ${paths.join(', ')} (seed ${seed})`
  if (what === 'extra') expect(digestOfLeft(ended), where).toBe(digestOfLeft(truth))
  else
    expect(
      ended.left.flatMap((left) => wrongWith(left, truth)),
      where,
    ).toEqual([])
  for (const { code, why } of ended.kept)
    if (code === 'unreadable-field') expect(why, where).toContain('platform.payloads.')
}

/** What is wrong with something that left, beside all that leaves when nothing is wrong. */
function wrongWith({ flow, call }: Left, truth: Ended): string[] {
  const essence = essenceOf(call)
  const same = truth.left.filter((left) => left.flow === flow).map((left) => essenceOf(left.call))
  if (same.length === 0) return [`${flow} left, and should not have`]
  const faults = same.map((one: Essence) => faultsOf(essence, one))
  if (faults.some((one) => one.length === 0)) return []
  return [`${flow}: ${faults.toSorted((a, b) => a.length - b.length)[0]?.join('; ')}`]
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
