import type { Hono } from 'hono'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../platform/deps.ts'
import type { Bindings } from '../platform/env.ts'

type Variables = { deps: Deps; requestId: string; op?: Operation }
export type App = Hono<{ Bindings: Bindings; Variables: Variables }>
