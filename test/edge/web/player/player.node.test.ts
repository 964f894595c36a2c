import { afterAll } from 'vitest'
import { closePlayerSite } from './player-site.node.ts'
// One file, as starting a Worker and a browser takes longer than most of these tests.
import './accessibility.node.ts'
import './controls.node.ts'
import './embed-api.node.ts'
import './hostile-text.node.ts'
import './native-engine.node.ts'
import './playing.node.ts'
import './reporting/reporting.node.ts'
import './seamless-start.node.ts'
import './states.node.ts'
import './watch.node.ts'

afterAll(closePlayerSite)
