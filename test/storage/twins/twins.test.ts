import { tellTwins } from './tell.ts'

/* A short form of `twins.soak.ts`. */

tellTwins([1, 2, 3, 4], 60)
