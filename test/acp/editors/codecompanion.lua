-- Has CodeCompanion.nvim do the task of `PROMPTS`, with every question answered by yes, and cancel the long one: `nvim --headless -u codecompanion.lua`.
for _, plugin in ipairs({ "plenary.nvim", "codecompanion.nvim" }) do
  vim.opt.runtimepath:append(vim.env.PLUGINS .. plugin)
end
vim.cmd("runtime plugin/plenary.vim | runtime plugin/codecompanion.lua")
dofile(vim.env.ENTRY)

local finished, shown = false, false
local function on(event, callback)
  vim.api.nvim_create_autocmd("User", { pattern = "CodeCompanion" .. event, callback = callback })
end

local function ask(chat, text)
  finished, shown = false, false
  chat:add_buf_message({ role = "user", content = text })
  chat:submit()
end

vim.defer_fn(function()
  vim.cmd("CodeCompanionChat")
  local chat = require("codecompanion").last_chat()
  on("RequestFinished", function() finished = true end)
  on("RequestStreaming", function() shown = true end)
  on("ToolApprovalRequested", function()
    vim.schedule(function()
      vim.api.nvim_set_current_buf(chat.bufnr)
      vim.api.nvim_feedkeys(require("codecompanion.interactions.chat.tools.labels").keymaps().accept, "mx", false)
    end)
  end)
  vim.wait(20000, function() return chat.acp_connection ~= nil and chat.acp_connection:is_connected() end)
  ask(chat, vim.env.TASK)
  vim.wait(20000, function() return finished end)
  ask(chat, vim.env.LONG)
  vim.wait(20000, function() return shown end)
  chat:stop()
  -- The answer to what was cancelled.
  vim.wait(500, function() return false end)
  io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(chat.bufnr, 0, -1, false), "\n"), "\n")
  vim.cmd("quitall!")
end, 0)
