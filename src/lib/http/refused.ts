/**
 * Is told of everything that was refused before anybody could look into it: why, from which address, and, where that is known, at which
 * interface of the hub (`/admin`): never more of a path, which may hold a token.
 */
export type Refused = (why: string, address: string | undefined, at?: string) => void
