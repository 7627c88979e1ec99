/**
 * Whether it is the certificate of who answers that was refused, by the words of TLS: not every library hands its codes on. An alert is
 * what the other side says of ours.
 */
export function refusesCertificate(words: string): boolean {
  return /certificate/i.test(words) && !/\balert\b/i.test(words)
}

/** Words of OpenSSL without the places in its source, on one line: `TLS: wrong version number`. Others as they are. */
export function plainTls(words: string): string {
  const reason = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(words)?.[1]
  return reason === undefined ? words : `TLS: ${reason}`
}
