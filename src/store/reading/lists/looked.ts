/** Rows of a list that is looked for in stretches; `next`: the id behind which it goes on, since no more was looked at; null: it does not. */
export interface Looked<Row> {
  rows: Row[]
  next: number | null
}
