// Preloaded by `npm start`: keeps stripped and compiled code between starts. The hub then starts in two thirds of the
// time and takes 35 MB less, because the TypeScript stripper is not even loaded.
import { enableCompileCache } from 'node:module'

enableCompileCache()
