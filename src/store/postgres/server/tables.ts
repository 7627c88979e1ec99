import type { Tables } from '../../reading/dialect.ts'
import * as schema from '../schema.ts'

/** Columns of this engine only, not read by read models. */
interface Own {
  deliveries: 'strand' | 'fence'
  attempts: 'id'
}

type Name = keyof Tables
type Theirs<T extends Name> = Tables[T]['$inferSelect']
type Ours<T extends Name> = Omit<(typeof schema)[T]['$inferSelect'], T extends keyof Own ? Own[T] : never>

/** Tables whose rows differ from SQLite's. */
type Drifted = { [T in Name]: [Ours<T>, Theirs<T>] extends [Theirs<T>, Ours<T>] ? never : T }[Name]

/** Fails to compile and names a drifted table. */
type Agreed<_Drifted extends never> = Tables

/** Typed as SQLite's. */
export const tables = schema as unknown as Agreed<Drifted>
