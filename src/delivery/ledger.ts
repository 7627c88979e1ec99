import type { Link } from '../domain/orders/link.ts'
import { compareDecimals, type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../domain/values/money.ts'
import type { ArticleLedger, Ledger } from '../flows/flow.ts'
import type { Store } from '../store/store.ts'

export interface Standing {
  told: Decimal
  paid: boolean
  kept: Link[]
}

/** The shop refunded: nobody else may. */
const PAID = 'paid'
type Books = Pick<Store, 'links' | 'effectsOf'>

/** How much of a level is applied there: delivered, or skipped by an operator. A renamed line counts under both names. */
export async function standingOf(
  { kind, id, level, effects, article, ofNumber, pays }: Ledger,
  destination: string,
  { links, effectsOf }: Books,
): Promise<Standing> {
  const beginnings = ofNumber ? [effects, ofNumber.effects] : [effects]
  const skips = await Promise.all(
    beginnings.map(async (beginning) =>
      (await effectsOf('skipped', beginning)).flatMap((effect) => levelIn(effect.slice(beginning.length))),
    ),
  )
  const before = (await toldOf(ofNumber ? [id, ofNumber.id] : [id])).values()
  const told = [...before, ...skips.flat()].reduce(greater, ZERO)
  const names = article ? await namesOf(article) : []
  const all = article && isRenamed() ? await toldByAllNames(article) : null
  const left = subtractDecimals(level, told)
  const rest = article && all ? lesser(left, subtractDecimals(article.level, all)) : left
  return {
    told: subtractDecimals(level, rest),
    paid: (await links(destination, PAID, [id])).length > 0,
    kept: [
      ...(pays ? [{ destination, kind: PAID, id, theirId: level, isLevel: true } as const] : []),
      { destination, kind, id, theirId: sumDecimals([told, rest]), isLevel: true },
      ...(article ? keysOf(article).map((key) => nameOf(article.of, key)) : []),
    ],
  }

  function nameOf(of: string, key: string): Link {
    return { destination, kind: `${kind}-as`, id: of + key, theirId: id.slice(of.length), isLevel: true }
  }

  function isRenamed(): boolean {
    if (!article) return false
    const keys = new Set(article.keys)
    const gone = names.filter((name) => !keys.has(name))
    const own = keysOf(article)
    return gone.some((name) => own.includes(name)) || (gone.length > 0 && own.some((key) => id === article.of + key))
  }

  async function toldByAllNames({ of, keys }: ArticleLedger): Promise<Decimal> {
    const each = [...new Set([...names, ...keys])]
    const told = await toldOf(each.flatMap((name) => beginningsOf(of).map((beginning) => beginning + name)))
    const most = each.map((name) =>
      beginningsOf(of)
        .map((beginning) => told.get(beginning + name) ?? ZERO)
        .reduce(greater),
    )
    return sumDecimals(most)
  }

  async function namesOf(all: ArticleLedger): Promise<string[]> {
    const ids = beginningsOf(all.of).flatMap((beginning) => keysOf(all).map((key) => beginning + key))
    return [...new Set((await links(destination, `${kind}-as`, ids)).map(({ theirId }) => theirId))]
  }

  function beginningsOf(of: string): string[] {
    return ofNumber ? [of, ofNumber.of] : [of]
  }

  async function toldOf(ids: readonly string[]): Promise<Map<string, Decimal>> {
    const most = new Map<string, Decimal>()
    for (let start = 0; start < ids.length; start += AT_ONCE)
      for (const link of await links(destination, kind, ids.slice(start, start + AT_ONCE)))
        most.set(link.id, greater(most.get(link.id) ?? ZERO, parseDecimal(link.theirId)))
    return most
  }
}

function keysOf({ key, others = [] }: ArticleLedger): string[] {
  return [key, ...others]
}

function levelIn(part: string): Decimal[] {
  try {
    return [parseDecimal(decodeURIComponent(part))]
  } catch {
    return []
  }
}

function greater(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(b, a) > 0 ? b : a
}

function lesser(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(b, a) < 0 ? b : a
}

const ZERO = parseDecimal(0)
const AT_ONCE = 500
