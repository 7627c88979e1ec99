/** Is told of everything that was refused before anybody could look into it: why, and from which address. */
export type Refused = (why: string, address: string | undefined) => void
