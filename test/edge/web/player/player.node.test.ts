import { afterAll } from 'vitest'
import { closePlayerSite } from './player-site.node.ts'
// One half of the suites; the other is in playback/playback.node.test.ts. Each half starts one Worker and one browser.
import './accessibility.node.ts'
import './audio/audio-look.node.ts'
import './controls.node.ts'
import './embed-api.node.ts'
import './hostile-text.node.ts'
import './native-engine.node.ts'
import './controls/menu.node.ts'
import './controls/pointer.node.ts'
import './controls/skin.node.ts'
import './share/share.node.ts'
import './watch/languages.node.ts'
import './watch.node.ts'
import './watch/watch-place.node.ts'

afterAll(closePlayerSite)
