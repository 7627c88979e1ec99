import type { SetName } from '../../domain/access/scope.ts'
import type { Field } from './fields.ts'

/** What can be read, one sort of items. */
export interface ReadSet {
  name: SetName
  about: string
  /** What the config must ask for, so that there is any. */
  kept: 'always' | 'stock' | 'all' | 'customers'
  /** What its rows are of. Null: of no place. */
  placeIs: 'stock' | 'store' | null
  filters: readonly Filter[]
  fields: readonly Field[]
}

export type Filter = 'store' | 'stock' | 'gtin' | 'from' | 'to'
