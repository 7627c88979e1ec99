/** The part of a request that says who asks. */
export interface Credentials {
  /** The `authorization` header; null: there is none. */
  header(signal: AbortSignal): Promise<string | null>
  /** The header was refused with 401: tells whether another one can be had. */
  refused(header: string): boolean
  /** Texts that no message may show. */
  secrets: readonly string[]
}
