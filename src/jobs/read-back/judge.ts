import { canTell, contradiction, type ReadProduct, type Said, timeOf } from '../../domain/catalogue/master-data.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import { type Check, subjectOf } from './check.ts'
import { datedPrices } from './dated.ts'
import { deliveriesAfter, isSubmission } from './walk.ts'

export interface Verdict {
  check: Pick<Check, 'delivery' | 'entity' | 'settledAt'>
  subject: string
  product: ReadProduct | null
  said: Said
  /** The platform's value instead; null: the same. */
  wrong: { read: string | null } | null
}

/** The platform's word on one thing that was said. Undefined: that cannot be told. */
export async function judge(
  store: Pick<Store, 'mirrorPage'>,
  said: Said,
  product: ReadProduct | null,
  now: Instant,
): Promise<Verdict['wrong'] | undefined> {
  if (product !== null && !canTell(said, product)) return undefined
  if (said.about === 'price' && timeOf(said).to <= now) return null
  const wrong = contradiction(said, product)
  if (wrong === null || said.about !== 'price' || product === null) return wrong
  // Another one that was submitted holds for some time, and now: of the two the platform may tell that one alone.
  const others = await datedPrices(store, said.list, product.productId, now)
  return others.some((price) => contradiction({ ...said, value: price }, product) === null) ? null : wrong
}

export async function judgeCheck(
  store: Pick<Store, 'mirrorPage'>,
  check: Check,
  product: ReadProduct | null,
  now: Instant,
): Promise<Verdict[]> {
  const { delivery, entity, settledAt } = check
  const verdicts: Verdict[] = []
  for (const said of check.said) {
    const wrong = await judge(store, said, product, now)
    if (wrong === undefined) continue
    const about = { check: { delivery, entity, settledAt }, subject: subjectOf(check.product) }
    verdicts.push({ ...about, product, said, wrong })
    if (wrong !== null && said.about === 'product') break
  }
  return verdicts
}

/** Verdicts on statements with nothing newer on its way, or acknowledged since: a newer one will be read back by itself. */
export async function latest(
  store: Pick<Store, 'deliveries'>,
  verdicts: readonly Verdict[],
  signal: AbortSignal,
): Promise<Verdict[]> {
  const oldest = verdicts.reduce((least, { check }) => Math.min(least, check.delivery), Infinity)
  if (oldest === Infinity) return []
  const byEntity = Map.groupBy(verdicts, ({ check }) => check.entity)
  const outdated = new Set<Verdict>()
  for await (const row of deliveriesAfter(store, oldest, signal)) {
    if (!isSubmission(row) || row.entity === null) continue
    const isText = row.flow === 'save-product-text'
    for (const verdict of byEntity.get(row.entity) ?? []) {
      const { check, said } = verdict
      const isAboutIt = !isText || (said.about === 'text' && said.field === 'description')
      if (row.id > check.delivery && isAboutIt && isNewer(row, check.settledAt)) outdated.add(verdict)
    }
  }
  return verdicts.filter((verdict) => !outdated.has(verdict))
}

function isNewer({ state, settledAt }: { state: string; settledAt: Instant | null }, than: Instant): boolean {
  if (state === 'delivered') return settledAt !== null && settledAt >= than
  return state === 'waiting' || state === 'claimed'
}
