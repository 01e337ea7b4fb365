// Written by `graff-notes hooks install opencode`, which also updates it; `remove` takes it away.
//
// opencode has no hooks of its own, so this plugin calls `graff-notes hook opencode` for them:
// before each request for the note, which goes into that request's system prompt; before a
// compaction, so that the summary has the agent's note in a section; and after it, to keep that.
import { spawn } from "node:child_process"

// Whatever a hook asks, of the program and of opencode, has to be answered within this in all.
const DEADLINE_MS = 3000

// So many of the last messages are looked at for what the agent was doing.
const MESSAGES_MAX = 200

// The states of a call that has come to something.
const ENDED = new Set(["completed", "error"])

// What opencode's own requests for a title and for a summary begin with: they get no note.
const NOT_THE_AGENT = /title generator|context summarization agent/

const call = (deadline, event, session, cwd, more = {}) =>
  new Promise((done) => {
    deadline.throwIfAborted()
    const hook = spawn("graff-notes", ["hook", "opencode"], { cwd, stdio: ["pipe", "pipe", "ignore"] })
    deadline.addEventListener("abort", () => {
      hook.kill("SIGKILL")
      hook.stdout.destroy() // whatever the program has started may hold it open
      done("")
    })
    let out = ""
    hook.stdout.on("data", (data) => (out += data))
    hook.stdin.on("error", () => {})
    hook.on("error", () => done(""))
    hook.on("close", () => {
      try {
        done(JSON.parse(out).hookSpecificOutput.additionalContext)
      } catch {
        done("") // nothing to say
      }
    })
    hook.stdin.end(JSON.stringify({ hook_event_name: event, session_id: session, cwd, ...more }))
  })

const textOf = (message) =>
  message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

// A user's message has an object of that name, which says what changed.
const isSummary = ({ info }) => info.role === "assistant" && info.summary === true

const result = ({ callID, state: { status, output, error, metadata } }) => {
  const failed = status === "error" || (metadata?.exit ?? 0) !== 0
  return { type: "tool_result", tool_use_id: callID, is_error: failed, content: error ?? output ?? "" }
}

// What the mechanical note is made of: a message in the shape that the program reads, in which the
// results of an agent's calls stand in a message of their own.
const records = ({ info: { role }, parts }) => {
  const content = parts.flatMap((part) => {
    if (part.type === "text" && !part.synthetic) return [{ type: "text", text: part.text }]
    if (part.type !== "tool") return []
    return [{ type: "tool_use", id: part.callID, name: part.tool, input: part.state.input }]
  })
  const results = parts.filter(({ type, state }) => type === "tool" && ENDED.has(state.status)).map(result)
  return [{ role, content }, ...(results.length ? [{ role: "user", content: results }] : [])]
}

// What `ask` comes to; nothing where it fails, or comes to nothing before the deadline.
const answer = async (deadline, ask) => {
  try {
    deadline.throwIfAborted()
    const late = new Promise((_, fail) => deadline.addEventListener("abort", fail))
    return await Promise.race([ask(), late])
  } catch {
    return undefined
  }
}

// opencode goes on as if there were no plugin, whatever goes wrong in a hook.
const quietly = (hook) => async (...args) => {
  const deadline = new AbortController()
  const clock = setTimeout(() => deadline.abort(), DEADLINE_MS)
  try {
    await hook(deadline.signal, ...args)
  } catch {
  } finally {
    clearTimeout(clock)
  }
}

export const GraffNotes = async ({ client, directory }) => {
  const messages = (deadline, id, take) =>
    answer(deadline, async () => take((await client.session.messages({ path: { id } })).data))

  // The session of an agent that works for another: its context is not kept, so it has no note.
  // What opencode has not said is asked again.
  const said = new Map()
  const isChild = async (deadline, id) => {
    const ask = async () => Boolean((await client.session.get({ path: { id } })).data.parentID)
    const is = said.get(id) ?? (await answer(deadline, ask))
    if (is !== undefined) said.set(id, is)
    return is
  }

  return {
    "experimental.chat.system.transform": quietly(async (deadline, { sessionID }, { system }) => {
      if (!sessionID || NOT_THE_AGENT.test((system[0] ?? "").slice(0, 400))) return
      if (await isChild(deadline, sessionID)) return
      const note = await call(deadline, "SystemPrompt", sessionID, directory)
      if (note) system.push(note)
    }),
    "experimental.session.compacting": quietly(async (deadline, { sessionID }, { context }) => {
      if (await isChild(deadline, sessionID)) return
      const take = (all) => all.slice(-MESSAGES_MAX).flatMap(records)
      const history = await messages(deadline, sessionID, take)
      const request = await call(deadline, "PreCompact", sessionID, directory, { messages: history ?? [] })
      if (request) context.push(request)
    }),
    event: quietly(async (deadline, { event }) => {
      if (event.type !== "session.compacted") return
      const id = event.properties.sessionID
      if (await isChild(deadline, id)) return
      const summary = await messages(deadline, id, (all) => textOf(all.findLast(isSummary)))
      await call(deadline, "PostCompact", id, directory, { compact_summary: summary ?? "" })
    }),
  }
}
