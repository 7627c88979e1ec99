import type { SetName } from '../../domain/access/scope.ts'
import type { Field } from './fields.ts'

/** A set that can be read, one sort of items. */
export interface ReadSet {
  name: SetName
  about: string
  /** The setting of config without which there is none of it. */
  kept: 'always' | 'stock' | 'all' | 'customers'
  /** The place that its rows are of. Null: none. */
  placeIs: 'stock' | 'store' | null
  filters: readonly Filter[]
  fields: readonly Field[]
}

export type Filter = 'store' | 'stock' | 'gtin' | 'from' | 'to'
