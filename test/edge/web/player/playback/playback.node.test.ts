import { afterAll } from 'vitest'
import { closePlayerSite } from '../player-site.node.ts'
// The other half of player.node.test.ts.
import '../captions/subtitles.node.ts'
import '../playing.node.ts'
import '../reporting/live-count.node.ts'
import '../reporting/reported-state.node.ts'
import '../reporting/reporting.node.ts'
import '../seamless-start.node.ts'
import '../states.node.ts'

afterAll(closePlayerSite)
