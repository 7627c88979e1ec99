import { serve } from '../../lib/thread.ts'
import { reading } from './reads.ts'

serve(reading)
