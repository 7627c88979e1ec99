import type { Big } from 'big.js'
import { readAmount } from '../amount.ts'
import type { NextId } from '../ids.ts'

/** A product to put into the shop. */
export interface ShopProduct {
  /** Chosen by the shop where it is left out. */
  id?: number
  name: string
  sku?: string
  /** EAN, UPC, GTIN or ISBN. */
  globalUniqueId?: string
  /** As the shop keeps it, `"249.00"`: with tax where the shop's prices include it. */
  price: string
  /** The shop's standard class where it is left out. */
  taxClass?: string
  /** Pieces; the shop does not count where it is left out. */
  stock?: number
  /** Makes it a variable product, which sells only by its variations; what one of these leaves out it takes from here. */
  variations?: Partial<Omit<ShopProduct, 'variations'>>[]
}

/** A product or a variation as the shop holds it. */
export interface Product {
  readonly id: number
  /** 0, but for a variation. */
  readonly parentId: number
  readonly type: 'simple' | 'variable' | 'variation'
  readonly name: string
  readonly sku: string
  readonly globalUniqueId: string
  readonly price: Big
  readonly taxClass: string
  /** null: not counted here. */
  stock: number | null
  readonly createdAt: number
  modifiedAt: number
}

export interface Catalogue {
  /** The switch of the whole shop (`woocommerce_manage_stock`): off, nothing is counted, and levels are not kept. */
  readonly managesStock: boolean
  all(): Product[]
  get(id: number): Product | undefined
  /** SKUs are compared as the database does it: without regard to case. */
  bySku(sku: string): Product | undefined
  variationsOf(id: number): Product[]
  /** The holder of a product's stock: itself, or the parent of a variation that does not count on its own. */
  stockHolder(product: Product): Product | null
}

export function createCatalogue(
  given: readonly ShopProduct[],
  { nextId, now, managesStock }: { nextId: NextId; now: number; managesStock: boolean },
): Catalogue {
  const products = new Map<number, Product>()
  const put = (product: Product) => {
    if (products.has(product.id)) throw new Error(`The shop has two products with the id ${product.id}.`)
    products.set(product.id, product)
  }
  for (const product of given) {
    const parent = productOf(product, product.variations ? 'variable' : 'simple', 0)
    put(parent)
    for (const variation of product.variations ?? []) {
      const { price, taxClass = '' } = product
      const name = `${product.name} - ${variation.name ?? variation.sku ?? 'variation'}`
      put(productOf({ price, taxClass, ...variation, name }, 'variation', parent.id))
    }
  }

  function productOf(one: ShopProduct, type: Product['type'], parentId: number): Product {
    return {
      id: one.id ?? nextId(),
      parentId,
      type,
      name: one.name,
      sku: one.sku ?? '',
      globalUniqueId: one.globalUniqueId ?? '',
      price: readAmount(one.price),
      taxClass: one.taxClass ?? '',
      stock: one.stock ?? null,
      createdAt: now,
      modifiedAt: now,
    }
  }

  return {
    managesStock,
    all: () => [...products.values()],
    get: (id) => products.get(id),
    bySku: (sku) => [...products.values()].find((product) => product.sku !== '' && sameText(product.sku, sku)),
    variationsOf: (id) => [...products.values()].filter(({ parentId }) => parentId !== 0 && parentId === id),
    stockHolder(product) {
      if (!managesStock) return null
      if (product.stock !== null) return product
      const parent = products.get(product.parentId)
      return parent && parent.stock !== null ? parent : null
    },
  }
}

export function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
