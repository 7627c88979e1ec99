import { serve } from '../../lib/thread.ts'
import { writing } from './writer.ts'

serve(writing)
