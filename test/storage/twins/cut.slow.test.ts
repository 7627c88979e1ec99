import { tellCutTwins } from './tell-cut.ts'

/* A short form of `cut.soak.ts`. */

tellCutTwins([1, 2], 25)
