import { enableCompileCache } from 'node:module'

// Loaded before the program, also by its threads. What was compiled once is read from the cache: the hub starts in two
// thirds of the time and needs 35 MB less, because Node's TypeScript support is loaded only where something changed.
enableCompileCache()
