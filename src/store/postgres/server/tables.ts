import type { Tables } from '../../reading/dialect.ts'
import * as schema from '../schema.ts'

/** Columns that only this engine has: what people read knows nothing of them. */
interface Own {
  deliveries: 'strand' | 'fence'
  attempts: 'id'
}

type Name = keyof Tables
type Theirs<T extends Name> = Tables[T]['$inferSelect']
type Ours<T extends Name> = Omit<(typeof schema)[T]['$inferSelect'], T extends keyof Own ? Own[T] : never>

/** Tables whose rows are not those of SQLite. */
type Drifted = { [T in Name]: [Ours<T>, Theirs<T>] extends [Theirs<T>, Ours<T>] ? never : T }[Name]

/** Does not compile while a table has drifted; the compiler names it. */
type Agreed<_Drifted extends never> = Tables

/** The tables that people read, for queries that are written in the types of SQLite. */
export const tables = schema as unknown as Agreed<Drifted>
