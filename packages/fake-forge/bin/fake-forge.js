#!/usr/bin/env node
import { fakeForgeCommand } from "../dist/index.js";

process.exitCode = await fakeForgeCommand(process.argv.slice(2));
