import { tellTwins } from './tell.ts'

/* A short form of `twins.soak.ts`, with several hubs on the server. */

tellTwins([1, 2, 3], 40, 3)
