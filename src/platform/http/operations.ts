import type { OperationName } from './endpoints.ts'

/** What is known of which operations this platform has. */
export interface Operations {
  /** Whether the document that the preset follows shows how an operation is called, or config says it. */
  isShown(operation: OperationName): boolean
  /**
   * Whether an operation is known to be there: it is shown, or has worked on this platform. The 404 of one that is not proves
   * nothing: it may be the endpoint that is missing.
   */
  isProven(operation: OperationName): Promise<boolean>
  /**
   * How an operation is known not to be there: by `config` (null), or by the code of its last answer (`http-404`, `http-405`), where no
   * document shows it and it has never worked; null: it may be there. A 404 proves that of a list alone: where the path names one
   * thing, it may speak of that.
   */
  absence(operation: OperationName): Promise<string | null>
  /** The operations that no document shows, by name, with method and address. */
  unshown(): { operation: OperationName; address: string }[]
}
