/** `next`: the id to go on from, as the limit was reached; null: complete. */
export interface Looked<Row> {
  rows: Row[]
  next: number | null
}
