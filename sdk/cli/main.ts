#!/usr/bin/env node
import { Terminal } from './frame/terminal.ts'
import { runProgram } from './run-program.ts'

process.exitCode = await runProgram(process.argv.slice(2), new Terminal(process))
