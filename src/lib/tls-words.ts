/** True if the peer's certificate was refused, by the error text: not all libraries pass codes. An alert concerns ours. */
export function refusesCertificate(words: string): boolean {
  return /certificate/i.test(words) && !/\balert\b/i.test(words)
}

/** OpenSSL text without source positions: `TLS: wrong version number`. */
export function plainTls(words: string): string {
  const reason = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(words)?.[1]
  return reason === undefined ? words : `TLS: ${reason}`
}
