/**
 * Who acts, as the audit has it: the holder of the credential. What the client says besides (a user of its machine) is a note behind
 * it, since a credential may be in several hands, and proves nothing: `admin (says kari)`.
 */
export function actorOf(holder: string, says: string | undefined): string {
  const note = says?.slice(0, 80)
  return note && note !== holder ? `${holder} (says ${note})` : holder
}
