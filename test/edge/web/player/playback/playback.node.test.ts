import { afterAll } from 'vitest'
import { closePlayerSite } from '../player-site.node.ts'
// One half of the suites; the other is in player.node.test.ts. Each half starts one Worker and one browser.
import '../captions/subtitles.node.ts'
import './holes.node.ts'
import './preload.node.ts'
import '../playing.node.ts'
import '../reporting/live-count.node.ts'
import '../reporting/reported-state.node.ts'
import '../reporting/reporting.node.ts'
import '../seamless-start.node.ts'
import '../states.node.ts'

afterAll(closePlayerSite)
