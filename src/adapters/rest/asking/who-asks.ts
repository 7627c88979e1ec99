/** What a request says about who asks. */
export interface Credentials {
  /** The `authorization` header; null: there is none. */
  header(signal: AbortSignal): Promise<string | null>
  /** It was refused with 401: whether another one can be had. */
  refused(header: string): boolean
  /** What no message may show. */
  secrets: readonly string[]
}
