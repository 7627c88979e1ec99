import { randomUUID } from 'node:crypto'
import { changed, type ProductBody, type Size, type SizeBody, type Variant } from './product.ts'

/** A size and the variant that it is one of. */
export interface Item {
  variant: Variant
  size: Size
}

/** The names that a size can have; the first that is given counts. */
export interface ItemName {
  gtin?: string | null | undefined
  identity?: string | null | undefined
  externalSKU?: string | null | undefined
}

/** The products of the company: what the master data source pushed, and what was there before. */
export function createCatalogue(now: () => number) {
  const variants = new Map<number, Variant>()
  const seen = new Map<string, number>()
  let products = 50_000
  let sizes = 8_800_000

  /** A size is the same one if its GTIN, or else its label, is: GTINs may change (facts, §5 line 28). */
  function merged(current: readonly Size[], said: readonly SizeBody[]): Size[] {
    const next = [...current]
    for (const body of said) {
      const byGtin = body.gtin ? next.findIndex(({ gtin }) => gtin === body.gtin) : -1
      const at = byGtin >= 0 ? byGtin : next.findIndex(({ label }) => label === (body.label ?? ''))
      const known = next[at]
      const size: Size = {
        identity: known?.identity ?? String(++sizes),
        gtin: body.gtin || known?.gtin || null,
        label: body.label ?? known?.label ?? '',
        labelSortIndex: body.labelSortIndex ?? known?.labelSortIndex ?? null,
        externalSKU: body.externalSKU ?? known?.externalSKU ?? null,
        identifiers: body.identifiers ?? known?.identifiers ?? [],
      }
      next.splice(known ? at : next.length, 1, size)
    }
    return next
  }

  /** Where a name was last seen. What it says must be looked at again: names may go elsewhere, and products away. */
  function noted(key: string): Variant | null {
    return variants.get(seen.get(key) ?? 0) ?? null
  }

  function note(variant: Variant): void {
    variants.set(variant.productid, variant)
    for (const name of namesOf(variant)) seen.set(name, variant.productid)
  }

  return {
    /** Every variant, the deleted ones too, in the order in which they came. */
    variants: (): Variant[] => [...variants.values()],

    /** Every size of what is not deleted. */
    items: (): Item[] =>
      [...variants.values()]
        .filter(({ deleted }) => !deleted)
        .flatMap((variant) => variant.sizes.map((size) => ({ variant, size }))),

    byId: (productid: number): Variant | null => variants.get(productid) ?? null,

    byExtId(extId: string): Variant | null {
      const variant = noted(`extId ${extId}`)
      return variant?.extId === extId ? variant : null
    },

    /** The size that is not deleted and has this name. */
    find({ gtin, identity, externalSKU }: ItemName): Item | null {
      const key = gtin ? `gtin ${gtin}` : identity ? `identity ${identity}` : `sku ${externalSKU}`
      const variant = noted(key)
      const size = variant?.sizes.find((one) =>
        gtin ? one.gtin === gtin : identity ? one.identity === identity : one.externalSKU === externalSKU,
      )
      return variant && size && !variant.deleted ? { variant, size } : null
    },

    /** Takes in products that were there before, and what they are found by. */
    load(products: readonly Variant[], names: readonly (readonly [name: string, productid: number])[]): void {
      for (const product of products) variants.set(product.productid, product)
      for (const [name, productid] of names) seen.set(name, productid)
    },

    create(body: ProductBody): Variant {
      const at = now()
      products += 1
      return this.change(
        {
          productid: products,
          id: randomUUID(),
          extId: null,
          ownSizes: false,
          name: '',
          number: null,
          variant: null,
          groupName: null,
          subgroupName: null,
          color: null,
          season: null,
          brand: null,
          gender: '',
          tags: '',
          price: null,
          cost: null,
          description: null,
          isStockProduct: true,
          isWebAvailable: false,
          isNoLabel: false,
          images: [],
          sizes: [],
          deleted: false,
          ins: at,
          upt: at,
        },
        body,
      )
    },

    change(variant: Variant, body: ProductBody): Variant {
      const next = changed(variant, body, merged(variant.sizes, body.productSizes ?? []), now())
      note(next)
      return next
    },

    /** Takes a GTIN off its size, or all of them off theirs (null). */
    removeGtin(variant: Variant, gtin: string | null): void {
      const sizes = variant.sizes.map((size) => (gtin === null || size.gtin === gtin ? { ...size, gtin: null } : size))
      note({ ...variant, sizes, upt: now() })
    },

    /** The variant stays in the lists (facts, §5 line 26). */
    remove(variant: Variant): void {
      note({ ...variant, deleted: true, upt: now() })
    },
  }
}

export type Catalogue = ReturnType<typeof createCatalogue>

/** Everything that a product and its sizes can be found by. */
export function namesOf({ extId, sizes }: Variant): string[] {
  return [
    `extId ${extId}`,
    ...sizes.flatMap(({ gtin, identity, externalSKU }) => [
      `gtin ${gtin}`,
      `identity ${identity}`,
      `sku ${externalSKU}`,
    ]),
  ]
}
