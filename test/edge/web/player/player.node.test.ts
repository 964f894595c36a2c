import { afterAll } from 'vitest'
import { closePlayerSite } from './player-site.node.ts'
// Two files with playback/playback.node.test.ts, which run in parallel, as starting a Worker and a browser takes longer than most of these tests.
import './accessibility.node.ts'
import './controls.node.ts'
import './embed-api.node.ts'
import './hostile-text.node.ts'
import './native-engine.node.ts'
import './watch.node.ts'

afterAll(closePlayerSite)
