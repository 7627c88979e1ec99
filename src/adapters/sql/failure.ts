import type { Trouble } from './trouble.ts'

/** How far a transaction came, and what went wrong. */
export class SqlFailure extends Error {
  override name = 'SqlFailure'
  /** `before`: nothing had begun. `work`: it is undone. `commit`: nobody knows, unless the trouble says so. */
  readonly stage: 'before' | 'work' | 'commit'
  /** The signal ended it. */
  readonly aborted: boolean
  readonly trouble: Trouble

  constructor(stage: SqlFailure['stage'], aborted: boolean, trouble: Trouble) {
    super(`SQL ${trouble.code}`)
    this.stage = stage
    this.aborted = aborted
    this.trouble = trouble
  }
}
