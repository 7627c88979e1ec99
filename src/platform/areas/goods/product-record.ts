import { isSameArticle } from '../../../domain/catalogue/article-number.ts'
import { flag, text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import { decimal, isRecord, type WireRecord } from '../../http/read.ts'
import { readSavedProduct, type SavedProduct } from './saved-product.ts'

/** A product as the platform has it; the spec does not show the record. What it did not write is null. */
export interface Product extends SavedProduct {
  extId: string | null
  name: string | null
  number: string | null
  /** Color code. */
  variant: string | null
  groupName: string | null
  subgroupName: string | null
  color: string | null
  season: string | null
  brand: string | null
  price: Decimal | null
  cost: Decimal | null
  description: string | null
  isWebAvailable: boolean | null
  isDiscontinued: boolean | null
  /** When it last changed, as written: its zone is not shown. */
  updated: string | null
}

/** Throws where the record has no productId, or a price that is no decimal. */
export function readProduct(record: WireRecord): Product {
  return {
    ...readSavedProduct(record),
    extId: idText(record, 'extId'),
    name: text(record, 'name'),
    number: text(record, 'number'),
    variant: text(record, 'variant'),
    groupName: text(record, 'groupName'),
    subgroupName: text(record, 'subgroupName'),
    color: text(record, 'color'),
    season: text(record, 'season'),
    brand: text(record, 'brand'),
    price: decimal(record, 'price'),
    cost: decimal(record, 'cost'),
    description: text(record, 'description'),
    isWebAvailable: flag(record, 'isWebAvailable'),
    isDiscontinued: flag(record, 'isDiscontinued'),
    updated: text(record, 'upt'),
  }
}

/** Whether a GTIN is one of those of a product. */
export function hasGtin({ sizes }: Pick<Product, 'sizes'>, wanted: string): boolean {
  return sizes.some(({ gtin, otherGtins }) => [gtin, ...otherGtins].some((own) => isSameArticle(own, wanted)))
}

/** The one record that was answered, also as a list of one; null where something else was. */
export function onlyRecord(answer: unknown): WireRecord | null {
  const value = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  return isRecord(value) ? value : null
}
