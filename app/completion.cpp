#include "app/completion.h"

#include <algorithm>
#include <iostream>

#include "app/config_keys.h"
#include "lib/ops/operator_names.h"

namespace grasppanda::app {

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const CommandRecord& command : command_list()) {
    const std::string word(command.name.substr(0, command.name.find(' ')));
    if (!command.hidden && std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(word);
  }
  words.emplace_back("help");
  return words;
}

std::vector<std::string> second_words(std::string_view group) {
  std::vector<std::string> words;
  const std::string start = std::string(group) + " ";
  for (const CommandRecord& command : command_list())
    if (!command.hidden && command.name.starts_with(start))
      words.emplace_back(command.name.substr(start.size()));
  return words;
}

std::vector<std::string> option_words(const CommandRecord& command) {
  std::vector<std::string> words;
  for (const OptionRecord& option : command.options) {
    words.emplace_back(option.name);
    if (!option.negated.empty()) words.emplace_back(option.negated);
    if (option.letter != 0) words.push_back(std::string("-") + option.letter);
  }
  return words;
}

std::vector<KeyOffer> key_offers() {
  std::vector<KeyOffer> offers;
  for (const config::KeyTable* table : key_tables())
    for (const config::Key& key : table->keys) {
      KeyOffer offer{std::string(key.path), {key.words.begin(), key.words.end()}};
      if (key.type == config::Type::boolean) offer.values = {"true", "false"};
      if (key.path == "model.name")
        for (const config::KeyTable* model : key_tables())
          if (model != &config::common_keys()) offer.values.emplace_back(model->owner);
      offers.push_back(std::move(offer));
    }
  return offers;
}

std::vector<std::string> operator_words() {
  std::vector<std::string> words;
  for (const ops::OperatorDescription& description : ops::operator_descriptions()) {
    words.emplace_back(description.name);
    if (description.short_name != description.name) words.emplace_back(description.short_name);
  }
  return words;
}

ExitCode run_completion(const Invocation& invocation) {
  const std::string& shell = invocation.arguments.front();
  std::cout << (shell == "bash"  ? bash_completion()
                : shell == "zsh" ? zsh_completion()
                                 : fish_completion());
  return ExitCode::done;
}

}  // namespace grasppanda::app
