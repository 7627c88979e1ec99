import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { Instant, PAGE } from './door.ts'
import type { Variant } from './product.ts'

const Texts = z.array(z.string()).nullish()
const Flag = z.boolean().nullish()

/** The products that are asked for. Filters are open: what they do not know, they do not mind (facts, line of L525). */
export const ProductFilter = z.object({
  ...PAGE,
  upt: Instant.nullish(),
  isWebAvailable: Flag,
  isDiscontinued: Flag,
  excludeDeleted: Flag,
  includePricelists: Flag,
  includeEmptyGTINs: Flag,
  includeStockQuantity: Flag,
  includeAlternativeIdentifiers: Flag,
  seasons: Texts,
  brands: Texts,
  tags: Texts,
  productId: z.int().nullish(),
  identity: z.string().nullish(),
  gtin: z.string().nullish(),
  productIds: z.array(z.int()).nullish(),
  identities: Texts,
  gtiNs: Texts,
})
export type ProductFilter = z.infer<typeof ProductFilter>

/** Variants of one page, if nobody says. */
const PAGE_SIZE = 1_000

/** Alternative identifiers are told on smaller pages only. */
const IDENTIFIERS_BELOW = 2_000

/**
 * One page of what is asked for. The page is cut first and filtered then: it may be short, or empty, while more follow
 * (facts, §5 line 27). `pageSkip` counts variants.
 */
export function pageOf(variants: readonly Variant[], filter: ProductFilter): Variant[] {
  const { pageSize, pageSkip, includeAlternativeIdentifiers } = filter
  const size = pageSize ?? PAGE_SIZE
  if (includeAlternativeIdentifiers && size >= IDENTIFIERS_BELOW)
    throw new Refusal(400, `includeAlternativeIdentifiers: pageSize must be below ${IDENTIFIERS_BELOW}.`)
  const skip = pageSkip ?? 0
  return variants.slice(skip, skip + size).filter((variant) => matches(variant, filter))
}

/** Whether this is one of those. A deleted one is, unless they are excluded (facts, §5 line 26). */
export function matches(variant: Variant, filter: ProductFilter): boolean {
  const { upt, isWebAvailable, isDiscontinued, excludeDeleted, seasons, brands, tags } = filter
  const ids = [...(filter.productIds ?? []), ...(filter.productId == null ? [] : [filter.productId])]
  const identities = [...(filter.identities ?? []), ...(filter.identity ? [filter.identity] : [])]
  const gtins = [...(filter.gtiNs ?? []), ...(filter.gtin ? [filter.gtin] : [])]
  const own = variant.tags.split(',').map((tag) => tag.trim())
  return (
    (upt == null || variant.upt >= upt) &&
    (isWebAvailable == null || variant.isWebAvailable === isWebAvailable) &&
    isDiscontinued !== true &&
    !(excludeDeleted && variant.deleted) &&
    (!seasons?.length || seasons.includes(variant.season ?? '')) &&
    (!brands?.length || brands.includes(variant.brand ?? '')) &&
    (!tags?.length || tags.some((tag) => own.includes(tag))) &&
    (ids.length === 0 || ids.includes(variant.productid)) &&
    (identities.length === 0 || variant.sizes.some(({ identity }) => identities.includes(identity))) &&
    (gtins.length === 0 || variant.sizes.some(({ gtin }) => gtin !== null && gtins.includes(gtin)))
  )
}
